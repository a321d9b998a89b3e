/**
 * Where the pipes of a run's commands are made: beside its socket, `RUN.sock` and `RUN.pipes/`, those of agent 1.2 in a sandbox in
 * `RUN.pipes/1/2/`. There they are in nobody's way: a run's own directory holds plain files and directories only, so that whoever
 * searches it never waits on a pipe.
 */
import { RUN_ID } from "./run-id.ts";

/** The directory of the pipes of the run that listens on the socket. */
export function pipesDirectory(socket: string): string {
	return `${socket.replace(/\.sock$/, "")}.pipes`;
}

/** The socket of the proxy through which the agents of that run reach hosts, where they may reach some only. */
export function proxySocket(socket: string): string {
	return `${socket.replace(/\.sock$/, "")}.proxy`;
}

const PIPE = new RegExp(`^(.*/${RUN_ID.source})\\.pipes/(?:\\d+/)*[\\w.-]+(?: \\(deleted\\))?$`);

/** The socket of the run whose command's pipe has that path; the kernel shows ` (deleted)` behind it once it is unlinked. */
export function socketOfPipe(path: string): string | undefined {
	const [, found] = PIPE.exec(path) ?? [];
	return found === undefined ? undefined : `${found}.sock`;
}
