/** A run without a sandbox and without questions is said so wherever it is started, also with --quiet. */

import { PAINT_SEQUENCES, paintFor } from "../../faces/print/paint.ts";
import { complainPainted } from "../../terminal/print.ts";
import type { StartRequest } from "./start-request.ts";

/** One line on stderr, red on a terminal. */
export function warnNoPermissions({ asking }: Pick<StartRequest, "asking">): void {
	if (asking?.skipsPermissions !== true) return;
	const { stderr, env } = process;
	const paint = paintFor(undefined, stderr.isTTY === true, env.NO_COLOR);
	complainPainted(paint.red(`agent: --dangerously-skip-permissions: ${WORDS}`), PAINT_SEQUENCES);
}

const WORDS = "no sandbox and no questions, agents may do whatever you may";
