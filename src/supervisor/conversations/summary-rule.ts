/**
 * When an agent may ask its model for a summary of older messages, and in which words that is asked. A summary is no turn, so no
 * other limit bounds it: an agent may ask a few times between two turns.
 */
import type { ModelOutcome } from "../../core/model/model.ts";

const MOST_BETWEEN_TURNS = 6; // of the whole and of a shorter context; each with tools, without, and once without thinking

const SUMMARY =
	"next answer will replace the older messages above; only the task and the newest messages stay. " +
	"Call no tool. Write down all that is needed to go on without them, exact in names, paths and numbers, and no more: " +
	"what was asked, with every wish and bound; what was done and what was found; the files that were read, written or changed; " +
	"decisions and their reasons; what is still open and what comes next; what runs in the background (processes, agents, logs).";

export const ASK_FOR_SUMMARY = `The context is nearly full, so your ${SUMMARY}`;

export class SummaryRule {
	/** A person asks for a summary, with what has to be in it. */
	private byPerson: { readonly keep: string | undefined } | undefined;
	private asked = 0;
	/** False once the model has called a tool in place of the newest summary. */
	mayUseTools = true;

	/** The words that ask for the summary. */
	get words(): string {
		if (this.byPerson === undefined) return ASK_FOR_SUMMARY;
		const { keep } = this.byPerson;
		return `The person asks for a summary: your ${SUMMARY}${keep === undefined ? "" : ` Keep above all: ${keep}`}`;
	}

	/** A person asks for a summary. `keep`: what has to be in it. */
	allow(keep: string | undefined): void {
		this.byPerson = { keep };
		this.asked = 0;
	}

	/** False when the agent has asked too often; else the request counts. */
	take(): boolean {
		if (this.asked >= MOST_BETWEEN_TURNS) return false;
		this.asked += 1;
		return true;
	}

	/** The model has answered a turn. */
	turnAnswered(): void {
		this.asked = 0;
		this.byPerson = undefined;
		this.mayUseTools = true;
	}

	/** The outcome of a call for a summary. */
	summarised(outcome: ModelOutcome): void {
		if (outcome.is === "reply") this.mayUseTools = outcome.stopReason !== "tool_use";
		else if (!outcome.refusesThinking) this.mayUseTools = true;
	}
}
