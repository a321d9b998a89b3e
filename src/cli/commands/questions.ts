/** `agent questions`: what agents ask a person, and nobody has answered. It reads the files of runs alone. */

import { defined } from "../../core/defined.ts";
import type { Agent } from "../../core/model/agent.ts";
import { isQuestionEvent, type Question, type QuestionEvent } from "../../core/run/questions.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { type Io, warn } from "../../faces/print/io.ts";
import type { Command } from "../../project/config/command-table.ts";
import type { FoundRun } from "../../record/read-run.ts";
import { RecordedRun } from "../../record/run-source.ts";
import { formatElapsed } from "../../text/durations.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { questionNotice } from "../../view/events/question-meanings.ts";
import { answerHint, describeAsked } from "../../view/words/question.ts";
import { findTarget } from "../act/ask-run.ts";
import { type OpenQuestion, questionsOf } from "../act/open-questions.ts";
import { livingRuns, stateDirectoryFor } from "../io/find-run.ts";
import { withProcessIo } from "../io/process-io.ts";

export const command: Command = ([ref], { json, follow }) =>
	withProcessIo((io) => questions({ ref, json: json === true, follow: follow === true }, io));

export interface QuestionsOptions {
	/** Without one: all runs that are going on; to follow, the newest of this directory. */
	readonly ref: string | undefined;
	readonly json: boolean;
	readonly follow: boolean;
}

async function questions({ ref, json, follow }: QuestionsOptions, io: Io): Promise<number> {
	if (follow) return followQuestions(findTarget(io, ref), json, io);
	const runs = ref === undefined ? [...livingRuns(stateDirectoryFor(io))].reverse() : [findTarget(io, ref)];
	const open = runs.flatMap((run) => questionsOf(run, io));
	if (json) io.stdout(`${safeJson(open.map(asJson), "\t")}\n`);
	else for (const one of open) io.stdout(`${rowsOf(one, io).join("\n")}\n`);
	if (open.length === 0 && !json) io.stderr("agent: no open questions\n");
	return 0;
}

/** `20261127-201530-k3f9#3  agent 1.2, 12s: which port? (80, 8080)`, then why, and how to answer. */
function rowsOf({ found, question }: OpenQuestion, io: Io): string[] {
	const { number, agent, at, what, why } = question;
	const age = formatElapsed(io.now() - at);
	return [
		`${found.run}#${number}  agent ${agent}, ${age}: ${describeAsked(what)}`,
		...(what.is !== "words" ? [`  in ${oneLine(what.directory)}`] : []),
		...(why === undefined ? [] : [`  reason: ${oneLine(why)}`]),
		`  ${answerHint({ number: `${found.run}#${number}`, what })}`,
	];
}

function asJson({ found, run, question }: OpenQuestion): object {
	return questionJson(found.run, question, run.agents[question.agent]);
}

function questionJson(
	run: string,
	{ number, agent, at, what, why }: Question,
	asker: Pick<Agent, "role" | "task"> | undefined,
): object {
	return {
		...{ run, question: number, agent, role: asker?.role ?? null, task: asker?.task ?? null },
		...{ asked_at: at, ...what, ...defined({ why }) },
	};
}

/** Those that are open, then each question and what comes of it, until the run is over. */
async function followQuestions(found: FoundRun, json: boolean, io: Io): Promise<number> {
	const source = new RecordedRun(found.directory);
	const known = countQuestionEvents(source);
	for (const one of questionsOf(found, io))
		io.stdout(json ? `${safeJson({ event: "question_asked", ...asJson(one) })}\n` : `${rowsOf(one, io).join("\n")}\n`);
	const agents = new Map<string, Pick<Agent, "role" | "task">>();
	const jsonOf = (event: QuestionEvent) =>
		event.event === "question_asked"
			? {
					event: event.event,
					...questionJson(found.run, { ...event, number: event.question }, agents.get(event.agent)),
				}
			: { run: found.run, ...event };
	let count = 0;
	const onEvent = (event: RunEvent) => {
		if (event.event === "agent_joined") agents.set(event.agent, event);
		if (!isQuestionEvent(event) || ++count <= known) return;
		io.stdout(json ? `${safeJson(jsonOf(event))}\n` : `${questionNotice(event, { run: found.run })}\n`);
	};
	await source.follow({ onEvent, damaged: (what) => warn(io, [what]), signal: io.signal });
	return 0;
}

function countQuestionEvents(source: RecordedRun): number {
	let count = 0;
	source.events((event) => {
		if (isQuestionEvent(event)) count += 1;
	});
	return count;
}
