// Package bench measures the main jobs of Keepsake against their floors: the
// least that any program would have to do for the same result, inflating the
// same zip, hashing the same bytes.
//
// Each measure runs in a child process of its own, floor and job in turn, so
// that processor time and memory are the operating system's own figures and a
// noisy machine harms both alike. What is compared is processor time; wall time
// says something only on an idle machine. docs/performance.md has the goals.
package bench
