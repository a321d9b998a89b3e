/**
 * What an agent's own commands put into the run's directory, and what its supervisor is asked to open: whole program. Without a sandbox,
 * because in one that directory is hidden (`sandbox/attacks` tries it there).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, temporaryHome } from "../program.ts";
import { WITHOUT_SANDBOX } from "../sandboxed.ts";

function homeWithScript(turns: object[]): string {
	const home = temporaryHome();
	const child = { turns: [{ say: "the run's own script" }] };
	writeFileSync(join(home, "s.yaml"), JSON.stringify({ agents: [{ path: "1", turns }, child] }));
	writeFileSync(join(home, "victim"), "kept");
	return home;
}

// Seen to fail: victim was overwritten twice, and the agent waited forever for a reader of the FIFO.
test("links and FIFOs where the next logs and scripts will be make way for them, and nothing is written through them", async () => {
	const plant = [
		'cd agentree/runs/*/1 && mkfifo out/0002.log command-4.sh && ln -s "$HOME/victim" out/0003.log',
		'ln -s "$HOME/victim" command-5.sh',
	];
	const long = `: ${"x".repeat(140_000)}`;
	const home = homeWithScript([
		{ run: plant.join("; ") },
		...[{ run: "echo two" }, { run: "echo three" }, { run: `echo four; ${long}` }, { run: `echo five; ${long}` }],
		{ run: 'cat agentree/runs/*/1/out/000[2345].log "$HOME/victim"' },
		{ say: "{{output}}" },
	]);
	const end = await runProgram(["run", "--model", "script:s.yaml", "go"], { home, env: WITHOUT_SANDBOX });
	expect(end).toEqual({ exit: 0, stdout: "two\nthree\nfour\nfive\nkept\n", stderr: "" });
});

test("a child's script is the run's own or lies where the run works; another one is refused before anything is opened", async () => {
	const asks = ["/dev/zero", "/etc/passwd", "fifo", "$PWD/s.yaml"].map((file) => `agent -m script:${file} x; echo $?`);
	const home = homeWithScript([{ run: `mkfifo fifo; ${asks.join("; ")}` }, { say: "{{output}}" }]);
	const { stdout } = await runProgram(["run", "--model", "script:s.yaml", "go"], { home, env: WITHOUT_SANDBOX });
	const what = `is outside ${home}: inside a run, use a script below that directory, or leave out --model to keep yours`;
	expect(stdout.split("\n")).toEqual([
		...[`agent: the script /dev/zero ${what}`, "2", `agent: the script /etc/passwd ${what}`, "2"],
		...[`agent: the script ${home}/fifo is not a regular file`, "2", "the run's own script", "0", ""],
	]);
});

test("an answer that is what a command printed is not read through a link that the command has put there", async () => {
	const home = temporaryHome();
	writeFileSync(join(home, "secret"), "of another agent\n".repeat(5_000));
	const swap = "cd agentree/runs/*/1/out && seq 20000 && rm 0001.log && ln -s $HOME/secret 0001.log";
	const end = await runProgram(["run", "--model", "shell", swap], { home, env: WITHOUT_SANDBOX });
	expect(end).toMatchObject({ exit: 1, stdout: "" });
	expect(end.stderr).toContain("only part of the command's output was saved");
	expect(readFileSync(join(home, "secret"), "utf8")).toContain("of another agent");
});

test("whatever stands in place of the files that the supervisor writes, the run ends, and nothing is written through it", async () => {
	// Seen to fail: run.json and the transcript were written through links, directories were bugs of ours (exit 70).
	const plant = [
		"cd agentree/runs/*; rm -f .reserve .lock.1 run.json 1/agent.json events.jsonl",
		'mkdir -p .reserve/x .lock.1/x 1/agent.json/x; ln -s "$HOME/victim" run.json; mkfifo events.jsonl bugs.log run.json.new',
	];
	const home = homeWithScript([{ run: plant.join("; ") }, { run: "echo two" }, { say: "done" }]);
	const end = await runProgram(["run", "--model", "script:s.yaml", "go"], { home, env: WITHOUT_SANDBOX });
	expect(end).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	const link = 'cd agentree/runs/*; mv 1/transcript.jsonl old; ln -s "$HOME/victim" 1/transcript.jsonl';
	const other = homeWithScript([{ run: link }, { say: "done" }]);
	const broken = await runProgram(["run", "--model", "script:s.yaml", "go"], { home: other, env: WITHOUT_SANDBOX });
	expect(broken).toMatchObject({ exit: 1 });
	expect(broken.stderr).toMatch(
		/^agent 1: failure: cannot write .*\/1\/transcript\.jsonl: it is a symbolic link; move it away\n$/,
	);
	expect([home, other].map((each) => readFileSync(join(each, "victim"), "utf8"))).toEqual(["kept", "kept"]);
});
