/** Whether the logs of commands may be written now. The supervisor decides; all commands of an agent share one gate. */
export interface LogGate {
	/** Undefined while logs may be written. */
	closedBecause: string | undefined;
}
