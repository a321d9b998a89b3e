/** Whether the supervisor of a conversation, which was asked to end its run, does so: one that is suspended, or hangs, is not waited for. */
import { setTimeout as sleep } from "node:timers/promises";
import { readableRunFile } from "../../store/read-run.ts";
import { complain } from "../../terminal/print.ts";
import { wordsFor } from "../stop/end-unanswered.ts";
import { supervisorProcess } from "../stop/supervisor-process.ts";
import type { TalkRun } from "./talk-run.ts";

const LOOK_MS = 250;
const SAY_MS = 1_500;
const MOST_MS = 10_000; // agents that ignore a stop have 5.5 s, and their processes are ended after that

/** Resolves to false when it does not; a line on stderr says that it is waited for when that takes long. */
export async function hasExited(run: Pick<TalkRun, "run" | "directory" | "supervisor">): Promise<boolean> {
	const exited = run.supervisor === undefined ? [] : [run.supervisor.exited];
	let suspendedLooks = 0; // a single look may see a debugger, or a short stop
	for (let waitedMs = 0; waitedMs < MOST_MS; waitedMs += LOOK_MS) {
		const file = readableRunFile(run.directory);
		if (file === undefined) return true; // its files are gone: nothing tells of a supervisor
		const found = supervisorProcess(run, file);
		if (found.is === "dead") return true;
		suspendedLooks = found.is === "suspended" ? suspendedLooks + 1 : 0;
		if (suspendedLooks === 2) return false;
		if (waitedMs === SAY_MS) complain(`agent: waiting for ${wordsFor(run.run, found)}`);
		await Promise.race([sleep(LOOK_MS), ...exited]);
	}
	return false;
}
