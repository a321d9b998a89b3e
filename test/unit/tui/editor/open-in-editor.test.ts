import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openInEditor } from "../../../../src/tui/terminal/chosen-program.ts";

const { PATH } = process.env;

/** An editor that is a shell script; what it does with the terminal is told in order. */
function editorOf(script: string) {
	const directory = mkdtempSync(join(tmpdir(), "agentree-editor-test-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const file = join(directory, "editor");
	writeFileSync(file, `#!/bin/sh\nd=${directory}\n${script}\n`);
	chmodSync(file, 0o700);
	const told: string[] = [];
	const terminal = { lend: () => void told.push("lent"), returned: () => void told.push("returned") };
	return { file, directory, told, program: { env: { PATH, EDITOR: `${file} --wait` }, terminal } };
}

test("the person's editor changes the message, and has the terminal meanwhile", async () => {
	const { program, told } = editorOf('[ "$1" = --wait ] && printf "more\\n" >> "$2"');
	expect(await openInEditor("a message", program)).toEqual({ is: "edited", text: "a message\nmore" });
	expect(told).toEqual(["lent", "returned"]);
});

test("nobody else can read the file, and it is gone then", async () => {
	const { program, directory } = editorOf('stat -c "%a %n" "$2" "$(dirname "$2")" > $d/modes');
	await openInEditor("secret", program);
	const [file, folder] = readFileSync(join(directory, "modes"), "utf8").trim().split("\n");
	expect(file).toMatch(/^600 .*message\.md$/);
	expect(folder).toMatch(/^700 /);
	expect(readdirSync(tmpdir())).not.toContain(folder?.split("/").at(-1));
});

test("an editor that fails leaves the message as it was, and gives the terminal back", async () => {
	const { program, told, file } = editorOf('echo x > "$2"; exit 3');
	const reason = `the editor failed: ${file} --wait: exit status 3; the message is unchanged`;
	expect(await openInEditor("a", program)).toEqual({ is: "failed", reason });
	expect(told).toEqual(["lent", "returned"]);
	const { program: gone } = editorOf('rm "$2"');
	expect(await openInEditor("a", gone)).toMatchObject({
		is: "failed",
		reason: expect.stringContaining("no such file"),
	});
	const { terminal } = program;
	expect(await openInEditor("a", { terminal, env: { PATH: "/nowhere" } })).toEqual({
		...{ is: "failed", reason: "no editor found: set EDITOR" },
	});
	expect(await openInEditor("a", { terminal, env: { PATH, VISUAL: "no-such-editor 2> /dev/null" } })).toMatchObject({
		reason: expect.stringContaining("no such program"),
	});
});

test("an editor can be ended from here", async () => {
	const { program, directory } = editorOf("echo $$ > $d/pid; mv $d/pid $d/started; exec sleep 60");
	const abort = new AbortController();
	const edited = openInEditor("a", { ...program, signal: abort.signal });
	for (let looked = 0; looked < 500 && !readdirSync(directory).includes("started"); looked++)
		await new Promise((resolve) => setTimeout(resolve, 10));
	abort.abort();
	expect(await edited).toEqual({ is: "edited", text: "a" });
});
