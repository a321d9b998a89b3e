/**
 * Where the pipes of a run's commands are made: beside its socket, `RUN.sock` and `RUN.pipes/`. There they are in nobody's
 * way: a run's own directory holds plain files and directories only, so that whoever searches it never waits on a pipe.
 */
import { RUN_ID } from "./run-id.ts";

/** The directory of the pipes of the run that listens on the socket. */
export function pipesDirectory(socket: string): string {
	return `${socket.replace(/\.sock$/, "")}.pipes`;
}

const PIPE = new RegExp(`/(${RUN_ID.source})\\.pipes/[\\w.-]+(?: \\(deleted\\))?$`);

/** The run of a command's pipe, by the path that the kernel shows for it; ` (deleted)` stands behind it once it is unlinked. */
export function runOfPipe(path: string): string | undefined {
	return PIPE.exec(path)?.[1];
}
