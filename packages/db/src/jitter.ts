/**
 * A random pause between 0 and twice `meanMs`.
 *
 * Processes and jobs that lost the same part at the same time do not come back to it at the same time. Source: full jitter,
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter
 */
export const jitter = (meanMs: number): number => 2 * meanMs * Math.random();
