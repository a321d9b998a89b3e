/** What a project's files bring to a conversation: the question before it, instructions, roles and commands. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { makeRepository } from "../../make-repository.ts";
import { KEY, says } from "../api/api-run.ts";
import { startTalkService } from "../conversation/conversation-run.ts";
import { AGENT_PROGRAM, temporaryHome } from "../program.ts";

const FILES = {
	"AGENTS.md": "Say please.",
	".agentree/agents/poet.md": "---\nname: poet\ndescription: Rhymes\n---\nYou rhyme.",
	".agentree/commands/greet.md": "---\ndescription: Greet somebody\nargument-hint: NAME\n---\nhello to $1",
};

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test("a project is asked about before the prompt; then its role and its command are there", async () => {
		const api = await startTalkService({ hello: { content: [says("Good day.")] } });
		const home = temporaryHome();
		const cwd = join(home, "repo");
		makeRepository(join(cwd, ".git"));
		for (const [name, text] of Object.entries(FILES)) {
			mkdirSync(dirname(join(cwd, name)), { recursive: true });
			writeFileSync(join(cwd, name), text);
		}
		const terminal = openTerminal(home);
		const places = `HOME=${home} AGENTREE_HOME=${home}/agentree XDG_RUNTIME_DIR=${home}/run`;
		terminal.type(`cd ${cwd}; export ${places} ANTHROPIC_API_KEY=${KEY} ANTHROPIC_BASE_URL=${api.url}; clear`);
		terminal.type(`${process.execPath} ${AGENT_PROGRAM}`);
		await terminal.shows(/role poet: Rhymes\n.*command \/greet: Greet somebody\nUse them\?/);
		terminal.type("y");
		await terminal.shows(/with AGENTS\.md\n/);
		terminal.type("/role poet");
		await terminal.shows(/role: poet/);
		terminal.type("/greet World");
		await terminal.shows(/> hello to World\n\nGood day\./);
		const { system, messages } = api.requests[0]?.body ?? {};
		expect(JSON.stringify(system)).toMatch(/Your role is poet\..*You rhyme\..*- poet: Rhymes.*Say please\./);
		expect(JSON.stringify(messages)).toContain("hello to World");
		terminal.type("/role");
		await terminal.shows(/\* poet +Rhymes\n[\s\S]*role: poet/);
		terminal.press("C-d");
		await terminal.shows(/To resume: agent -c/);
		await terminal.isRestored();
	});
});
