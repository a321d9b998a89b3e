/**
 * A whole run as one page: what it is and what it cost, its answer, the tree, what each agent did over time, and the history
 * of each, folded. The page has no script and takes nothing from elsewhere. It comes in pieces, an entry each, so that memory
 * holds one message of the run.
 */
import { lstatSync } from "node:fs";
import { ROOT } from "../../../core/agent.ts";
import { textOf } from "../../../core/message.ts";
import { agentsInOrder } from "../../../core/run-state.ts";
import { newestLines } from "../../../store/file-tail.ts";
import { parseEntry } from "../../../store/read-events.ts";
import { transcriptPath } from "../../../store/run-directory.ts";
import { orDamage } from "../or-damage.ts";
import type { RecordedRun } from "../recorded-run.ts";
import { agentHistory } from "./agent-history.ts";
import { agentBars, agentTree } from "./agent-lists.ts";
import { roomFor } from "./cut-text.ts";
import { html, Markup } from "./markup.ts";
import { pageHead, titleOf } from "./page-head.ts";
import { PAGE_POLICY, PAGE_STYLE } from "./page-style.ts";

const MOST_DAMAGE = 200;
const ANSWER_BYTES = 8 * 1024 * 1024; // an answer further from the end is in the history alone

export function* runPage(run: RecordedRun): Generator<string> {
	for (const { text } of pieces(run)) yield text;
}

function* pieces(run: RecordedRun): Generator<Markup> {
	yield html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(PAGE_POLICY)}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(run.file.task)}</title>
<style>${new Markup(PAGE_STYLE)}</style>
</head>
<body>
`;
	yield pageHead(
		run,
		orDamage(run.damage, () => lastSaid(run.directory)),
	);
	yield* agentTree(run);
	yield* agentBars(run);
	yield html`<section id="agents">
<h2>Histories</h2>
`;
	const agents = agentsInOrder(run.state);
	const room = roomFor(agents.reduce((sum, { id }) => sum + sizeOf(transcriptPath(run.directory, id)), 0));
	for (const agent of agents) yield* agentHistory(run, agent, room);
	yield html`</section>
${damageMarkup(run.damage)}</body>
</html>
`;
}

function sizeOf(path: string): number {
	try {
		return lstatSync(path).size;
	} catch {
		return 0; // it has nothing that needs room; reading it says why
	}
}

/** What the root said last that is text. */
function lastSaid(directory: string): string | undefined {
	for (const line of newestLines(transcriptPath(directory, ROOT), ANSWER_BYTES)) {
		const entry = parseEntry(line);
		const text = entry?.role === "assistant" ? textOf(entry.content) : "";
		if (text !== "") return text;
	}
	return undefined;
}

function damageMarkup(damage: readonly string[]): Markup | undefined {
	if (damage.length === 0) return undefined;
	const more = damage.length - MOST_DAMAGE;
	return html`<section>
<h2>What could not be read</h2>
<ul>${damage.slice(0, MOST_DAMAGE).map((what) => html`<li>${what}</li>`)}</ul>${more > 0 ? html`<p>and ${more} more</p>\n` : undefined}
</section>
`;
}
