/** Commands that print keys, as password managers really behave. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keyOfCommand } from "../../../src/models/openai/keys.ts";
import { temporaryHome } from "../program.ts";

const keyOf = (command: string) => keyOfCommand(command, "the command", { PATH: process.env.PATH });

test.each([
	["the first line that is not empty", "printf '\\n \\nthe-key-1\\nnoise\\n'", "the-key-1"],
	["a line that ends with CRLF", "printf 'the-key-2\\r\\n'", "the-key-2"],
	["with an empty stdin", "read line; echo the-key-3$line", "the-key-3"],
])("the key is %s", async (_, command, key) => {
	expect(await keyOf(command)).toBe(key);
});

// Seen to fail: it took the minute that a command may take.
test("a process that the command leaves in the background keeps nobody waiting", async () => {
	const file = join(temporaryHome(), "pid");
	onTestFinished(() => void process.kill(Number(readFileSync(file, "utf8"))));
	expect(await keyOf(`sleep 300 & echo $! > ${file}; echo the-key-4`)).toBe("the-key-4");
});

// Seen to fail: what ~/.bashrc printed was the key.
test("the user's ~/.bashrc is not read", async () => {
	const HOME = temporaryHome();
	writeFileSync(join(HOME, ".bashrc"), "echo welcome\n");
	expect(await keyOfCommand("echo the-key-6", "the command", { PATH: process.env.PATH, HOME })).toBe("the-key-6");
});

test.each([
	["it printed more than 64 KiB", "yes | head -c 100000"],
	["it printed nothing", "true"],
	["it ended with 3: locked", "echo the-key-5; echo locked >&2; exit 3"],
])("without a key it is said why: %s", async (why, command) => {
	await expect(keyOf(command)).rejects.toThrow(`the command returned no key: ${why}`);
});
