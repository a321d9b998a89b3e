/** Stands where a process is named that is not there. */

/** No process has such a start time, and nobody ends the first of all processes. */
export const NO_PROCESS = { pid: 1, startTime: "" } as const;
