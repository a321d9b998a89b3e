/** Whether the logs of commands may be written now. The supervisor decides; all commands of an agent share one gate. */
export interface LogGate {
	/** Why logs may not be written; undefined while they may. */
	closedBecause: string | undefined;
}
