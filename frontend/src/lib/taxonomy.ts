/** The closed taxonomy of PAM §5, in its order. */
export const TYPES = ['fact', 'preference', 'skill', 'context', 'relationship', 'goal', 'instruction', 'identity', 'environment', 'project', 'custom'] as const;


/** What a memory may be about that is sensitive, as Go tells it. */
export const SENSITIVE_TOPICS = ['health', 'family', 'address', 'money', 'beliefs', 'sexuality', 'names', 'numbers'] as const;

/** The six relations of PAM §13.2. */
export const RELATIONS = ['supports', 'contradicts', 'extends', 'supersedes', 'related_to', 'derived_from'] as const;
