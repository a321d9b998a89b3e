/**
 * `agent ask`, in a command of an agent: it asks a person, waits, and prints the answer. Nothing here ends the wait: the command's
 * clock stands still. A bundle of its own, as that of `agent todo`.
 */
import { AgentreeError } from "../core/errors.ts";
import type { Answer } from "../core/questions.ts";
import { CANNOT_WRITE, cannotWrite, complain, print } from "../terminal/print.ts";
import { stdinText } from "../terminal/stdin.ts";
import { askSupervisor } from "./ask-supervisor.ts";

const SAID_NO = 1;

interface Question {
	readonly text: string;
	readonly choices?: readonly string[];
	readonly why?: string;
}

/** `args`: behind the word `ask`. Undefined when its help is asked for, which the command line has. Throws AgentreeError. */
export async function runAsk(args: readonly string[], socket: string): Promise<number | undefined> {
	if (args.includes("--help") || args.includes("-h")) return undefined;
	const said = await ask(socket, await questionOf(args));
	if (said.is === "unanswered") {
		complain(`agent: ${said.reason}`);
		return SAID_NO;
	}
	const { answer } = said;
	switch (answer.is) {
		case "allow":
		case "always":
			return printed("yes");
		case "words":
			return printed(answer.text);
		case "no":
		case "stop":
			complain(`agent: the person said no${answer.words === undefined ? "" : `: ${answer.words}`}`);
			return SAID_NO;
	}
}

async function printed(text: string): Promise<number> {
	const done = await print(1, `${text}\n`);
	if (done.is !== "failed") return 0;
	complain(cannotWrite(done.reason));
	return CANNOT_WRITE;
}

async function questionOf(args: readonly string[]): Promise<Question> {
	const words: string[] = [];
	const options: { choices?: readonly string[]; why?: string } = {};
	for (let at = 0; at < args.length; at++) {
		const [, flag, attached] = /^--(choices|why)(?:=(.*))?$/s.exec(args[at] ?? "") ?? [];
		if (args[at] === "--") {
			words.push(...args.slice(at + 1));
			break;
		}
		if (flag === undefined) words.push(args[at] ?? "");
		else {
			const value = attached ?? args[++at];
			if (value === undefined || value.trim() === "") throw usage(`--${flag} needs a value`);
			if (flag === "why") options.why = value;
			else options.choices = choicesOf(value);
		}
	}
	const unknown = words.find((word) => /^--?[A-Za-z]/.test(word));
	if (unknown !== undefined && !args.includes("--"))
		throw usage(
			`agent ask has no option ${unknown}: it has --choices A,B,C and --why TEXT; write -- before a question that begins like one`,
		);
	if (words.length > 1)
		throw usage('the question is one argument: quote it, as in agent ask "which port?" --choices 80,8080');
	const text = words[0] === undefined || words[0] === "-" ? (await stdinText()).trimEnd() : words[0];
	if (text.trim() === "") throw usage('no question: agent ask "which port?", or pipe it in');
	return { text, ...options };
}

function choicesOf(value: string): string[] {
	const choices = value.split(",").map((choice) => choice.trim());
	if (choices.includes("")) throw usage(`--choices ${value} has an empty one: separate them by single commas`);
	if (new Set(choices).size < choices.length) throw usage(`--choices ${value} has one twice`);
	return choices;
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}

type Said =
	| { readonly is: "answered"; readonly answer: Answer }
	| { readonly is: "unanswered"; readonly reason: string };

function ask(socket: string, question: Question): Promise<Said> {
	return askSupervisor<Said>(socket, {
		request: { say: "question", ...question },
		hears: ["asked", "answered", "unanswered"],
		answerIn: (message) => {
			if (message.say === "unanswered") return { is: "unanswered", reason: message.reason };
			return message.say === "answered" ? { is: "answered", answer: message.answer } : undefined;
		},
		meaning: ": the question has no answer",
	});
}
