// Package clients writes Keepsake into the settings of the assistants on this computer,
// so that they start keepsake mcp, and takes it out again.
//
// A [Client] is an assistant whose settings hold a table of servers of the Model Context
// Protocol; its entry there is a program and its arguments ([Entry]). [Client.Connect] and
// [Client.Disconnect] read the file and make a [Plan] of it: the bytes before and after,
// as lines of a diff too. [Plan.Write] carries it out, beside a backup.
//
// A file is edited and never written anew: every byte outside of the entry survives, with
// comments, order, indentation, line ends and byte order mark. A plan is only made where
// the file, read again as it would be, differs in the entry alone.
package clients
