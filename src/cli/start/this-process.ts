/** What a run or a child agent gets of this process, which starts it. */

import type { StartHost } from "../../agent/start-agent.ts";
import { workingDirectory } from "../../config/working-directory.ts";
import { openProcessTable } from "../../processes/open-table.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { bugs } from "../io/bugs.ts";
import type { RunHost } from "./prepare-run.ts";

export function runHost(): RunHost {
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
		loadJoinedAgent: () => import("../../agent/joined-agent.ts"),
		loadRestore: () => import("../../agent/context/restore.ts"),
	};
}
