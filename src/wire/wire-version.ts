/** The version of what goes over the run's socket: raised when a client of before would be misunderstood. */
export const WIRE_VERSION = 2;
