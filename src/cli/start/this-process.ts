/** What a run, and a child agent, get of the process that starts them. */

import type { StartHost } from "../../agent/start-agent.ts";
import { workingDirectory } from "../../config/working-directory.ts";
import { openProcessTable } from "../../processes/open-table.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { bugs } from "../io/bugs.ts";
import type { RunPlace } from "./prepare-run.ts";

export function runPlace(): RunPlace {
	const { env, getuid } = process;
	return { env, now: SYSTEM_CLOCK.now(), random: Math.random, uid: getuid?.() ?? 0 };
}

export function childHost(): StartHost {
	const { env, pid } = process;
	const setTitle = (title: string) => {
		process.title = title;
	};
	return {
		env,
		pid,
		cwd: () => workingDirectory(process.cwd),
		table: openProcessTable(env),
		now: SYSTEM_CLOCK.now,
		setTitle,
		bugs,
		loadRestore: () => import("../../agent/context/restore.ts"),
	};
}
