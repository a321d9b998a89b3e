/** Where the progress of a run is told: on this process's stderr, as much of it as was asked for. */

import { PAINT_SEQUENCES, paintFor } from "../../faces/print/paint.ts";
import { createProgress, type Progress, type ProgressLevel } from "../../faces/print/progress.ts";
import { WaitingNotices } from "../../faces/print/waiting-notices.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import type { RunRequest } from "../../project/config/run-request.ts";
import { complain, complainPainted } from "../../terminal/print.ts";

type Asked = Pick<RunRequest, "isQuiet" | "isVerbose">;

/** Of `agent run`: on a terminal what matters, elsewhere only that it takes long. */
export function progressFor(asked: Asked): Progress {
	return stderrProgress(asked, process.stderr.isTTY === true ? "main" : "trouble");
}

/** Of `agent tree` without a screen, and of `agent demo`: what matters, wherever it goes. */
export function treeProgress(asked: Asked): Progress {
	return stderrProgress(asked, "main");
}

function stderrProgress({ isQuiet, isVerbose }: Asked, usual: ProgressLevel): Progress {
	const { stderr, env } = process;
	const isTTY = stderr.isTTY === true;
	const view = { paint: paintFor(undefined, isTTY, env.NO_COLOR), columns: () => (isTTY ? stderr.columns : undefined) };
	const level = isQuiet ? "none" : isVerbose ? "all" : usual;
	const progress = createProgress(level, (line) => complainPainted(line, PAINT_SEQUENCES), view);
	const waiting = new WaitingNotices(SYSTEM_CLOCK, complain); // also with --quiet: a run that waits unheard would seem to hang
	return {
		onEvent: (event, run) => {
			progress.onEvent(event, run);
			waiting.onEvent(event, run.run);
		},
		onRecord: progress.onRecord,
	};
}
