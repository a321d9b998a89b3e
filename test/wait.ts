/** How long a test waits for what other processes do, and how often it looks (ms). It ends with what it waits for, so it may be long. */
export const WAIT = { timeout: 40_000, interval: 20 };
