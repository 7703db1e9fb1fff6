/** Names of this machine. */

/**
 * Whether a host is this machine: `localhost` and names below it (RFC 6761), 127.0.0.0/8 and `::1`, also in brackets as
 * in a URL.
 */
export const isLoopback = (host: string): boolean => /^((.+\.)?localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
