/**
 * What a process that joins a run is named until it is an agent (`process.title`). Only a process itself can change its name
 * in /proc/PID/comm, so nobody joins in another process's place: with that connection an agent's end would end the other.
 */
export const JOINING_NAME = "agent joining"; // the kernel keeps 15 bytes
