/** Whether commands' logs may be written now, as the supervisor says; shared by all commands of an agent. */
export interface LogGate {
	/** Undefined: they may. */
	closedBecause: string | undefined;
}
