/**
 * Node's child_process, loaded when it is first asked for: it takes a millisecond, for which neither the start of a child
 * agent nor its first request should wait.
 */
export function childProcess() {
	return process.getBuiltinModule("node:child_process");
}
