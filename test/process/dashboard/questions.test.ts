/** Questions of agents, answered by keys in the dashboard, in a real terminal. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { WAIT } from "../../wait.ts";
import { AGENT_PROGRAM, startProgram, temporaryHome } from "../program.ts";
import { type AskingRun, asking, startAsking } from "../questions/asking-run.ts";

/** `agent attach` in a terminal of its own. */
async function attach({ home, waitForEvent }: AskingRun, name = "one", env = "") {
	await waitForEvent(({ event }) => event === "run_started");
	const place = join(home, name);
	mkdirSync(place);
	const terminal = openTerminal(place);
	const places = `AGENTREE_HOME=${home}/agentree XDG_RUNTIME_DIR=${home}/run`;
	terminal.type(`cd ${home}; export ${places} ${env}; clear; ${process.execPath} ${AGENT_PROGRAM} attach`);
	return terminal;
}

/** A home in which the script of a child lies. */
function homeWith(child: string): string {
	const home = temporaryHome();
	writeFileSync(join(home, "child.sh"), child);
	return home;
}

const BELOW = "agent 'agent \"bash child.sh\"'"; // two levels below the root

describe.skipIf(!hasTmux())("in a terminal (needs tmux)", () => {
	test("a question from two levels below is seen at once, and answered by a number", async () => {
		const home = homeWith('agent ask "Which port?" --choices 80,8080 --why "both are free"');
		const run = startAsking(BELOW, ["--ask-wait"], home);
		const terminal = await attach(run);
		await terminal.shows(/ \? question 1 {2}1\.1\.1 .* ‹ 1\.1 .* r to answer/);
		await terminal.shows(/Which port\? \(80, 8080\)/);
		terminal.press("y", "2", "Enter"); // the person does not look there yet
		terminal.press("r");
		await terminal.shows(/┏ Question 1 of agent 1\.1\.1, waiting \d+s ━/);
		await terminal.shows(/reason +both are free/);
		terminal.press("2");
		await terminal.shows(/answered question 1 of agent 1\.1\.1: 8080/);
		expect(await run.printed()).toContain("8080");
	});

	test("a command is read to its end, and refused in words, which reach the agent", async () => {
		const lines = Array.from({ length: 60 }, (_, n) => `echo line-${n}`).join("\n");
		const home = temporaryHome();
		const task = `${lines}\ntouch done\u001b[2K`;
		const run = asking(startProgram(["run", "-m", "shell", "--ask", "always", "--ask-wait", task], { home }));
		const terminal = await attach(run);
		await terminal.shows(/ \? question 1 {2}1 /);
		terminal.press("r");
		await terminal.shows(/Run this command\?\s+┃\s+┃ \$ echo line-0 /);
		await terminal.shows(/↓ \d+ more rows: ↑↓ PgUp PgDn/);
		terminal.press("End");
		await terminal.shows(/touch done␛\[2K/);
		terminal.press("n");
		await terminal.shows(/No, with an optional reason/);
		terminal.type("run the tests first, please"); // with Enter
		await terminal.shows(/answered question 1 of agent 1: no: run the tests first, please/);
		expect(existsSync(join(home, "done"))).toBe(false);
		expect((await run.ended).stderr.toString()).toContain("the person said no: run the tests first, please");
	});

	test("of two dashboards the first answer counts, and the other one tells it and takes no key for it", async () => {
		const home = homeWith('agent ask "one?" & agent ask "two?" & wait');
		const run = startAsking(BELOW, ["--ask-wait"], home);
		const one = await attach(run, "one");
		const two = await attach(run, "two", "NO_COLOR=1");
		await run.asked(2);
		for (const terminal of [one, two]) {
			await terminal.shows(/question 1 .* 1 more/);
			terminal.press("r");
			await terminal.shows(/Question 1 of agent 1\.1\.1, waiting \d+s \(1 more\)/);
		}
		expect(await run.answer("1", "allow")).toMatchObject({ exit: 0 });
		for (const terminal of [one, two]) {
			await terminal.shows(/Answered elsewhere: yes\. Esc to close · Tab for the next question/);
			terminal.press("y", "s");
		}
		one.press("Tab");
		await one.shows(/Question 2 of agent 1\.1\.1/);
		one.press("y");
		await one.shows(/answered question 2 of agent 1\.1\.1: yes/);
		await run.ended;
		expect(run.events().filter(({ event }) => event === "question_answered")).toHaveLength(2);
	});

	test("p allows it in the project for good, and shows before which rule and which project that is", async () => {
		const home = temporaryHome();
		const run = asking(startProgram(["run", "-m", "shell", "--ask", "always", "--ask-wait", "touch one"], { home }));
		const terminal = await attach(run);
		await terminal.shows(/\? question 1/);
		terminal.press("r");
		await terminal.shows(/always +Bash\(touch \*\)[\s\S]*project +the same for all runs in \S+/);
		terminal.press("p");
		await run.ended;
		expect(existsSync(join(home, "one"))).toBe(true);
		const grant = JSON.parse(readFileSync(join(home, ".config/agentree/grants.jsonl"), "utf8"));
		expect(grant).toMatchObject({ rule: "Bash(touch *)", project: home });
	});

	test("twelve questions at once are answered by keys here and by commands there, each once", async () => {
		const home = homeWith('agent ask "go on?" > "said-$1"');
		const ask = 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do agent "bash child.sh $i" & done; wait';
		const run = startAsking(ask, ["--ask-wait", "--max-children", "12"], home);
		const terminal = await attach(run);
		await run.asked(12);
		await terminal.shows(/\?12 awaiting you/);
		const answered = () => run.events().filter(({ event }) => event === "question_answered").length;
		const byCommands = (async () => {
			for (const number of [12, 11, 10, 9, 8, 7]) await run.answer(String(number), "allow");
		})();
		for (let before = answered(); before < 12; before = answered()) {
			terminal.press("r");
			await vi.waitFor(() => expect(answered() === 12 || / Esc /.test(terminal.screen())).toBe(true), WAIT);
			terminal.press("y");
			await vi.waitFor(() => expect(answered()).toBeGreaterThan(before), WAIT);
			await vi.waitFor(() => {
				const screen = terminal.screen();
				if (/Answered elsewhere/.test(screen)) terminal.press("Enter");
				expect(screen).not.toMatch(/ Esc /);
			}, WAIT);
		}
		await byCommands;
		await run.ended;
		expect(answered()).toBe(12);
		const said = Array.from({ length: 12 }, (_, n) => readFileSync(join(home, `said-${n + 1}`), "utf8"));
		expect(new Set(said)).toEqual(new Set(["yes\n"]));
	});

	test("the person's own command tells of each question once, and the title tells how many are open", async () => {
		const home = homeWith('agent ask "one?"; agent ask "two?"');
		mkdirSync(join(home, ".config/agentree"), { recursive: true });
		writeFileSync(join(home, ".config/agentree/config.yaml"), `notify: echo "$AGENTREE_NOTICE" >> ${home}/told\n`);
		const run = startAsking("until [ -e go ]; do sleep 0.02; done; bash child.sh", ["--ask-wait"], home);
		const terminal = await attach(run, "one", `HOME=${home}`);
		await terminal.shows(/until \[ -e go \]|bash s\.sh/);
		writeFileSync(join(home, "go"), "");
		const told = () => (existsSync(join(home, "told")) ? readFileSync(join(home, "told"), "utf8") : "");
		await vi.waitFor(() => expect(told()).toBe("an agent has a question for you\n"), WAIT);
		await vi.waitFor(() => expect(terminal.title()).toMatch(/running \d+, 1 question$/), WAIT);
		await run.answer("1", "allow");
		await vi.waitFor(() => expect(told()).toBe("an agent has a question for you\n".repeat(2)), WAIT);
		await run.answer("2", "allow");
		await vi.waitFor(
			() => expect(told()).toBe(`${"an agent has a question for you\n".repeat(2)}the run has ended\n`),
			WAIT,
		);
	});

	test("after kill -9 of the dashboard another one shows the question, and answers it", async () => {
		const run = startAsking('agent ask "go on?" && touch went');
		const one = await attach(run, "one");
		await one.shows(/\? question 1/);
		one.press("r");
		await one.shows(/Question 1 of agent 1, waiting/);
		process.kill(one.pid(), "SIGKILL");
		await one.shows(/Killed/);
		const two = await attach(run, "two");
		await two.shows(/\? question 1/);
		two.press("r");
		await two.shows(/Question 1 of agent 1, waiting/);
		two.press("y");
		await run.ended;
		expect(existsSync(join(run.home, "went"))).toBe(true);
	});
});
