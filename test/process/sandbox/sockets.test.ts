/** Directories that commands see through an overlay: what is named there is reached, and what a person changes is seen. */
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { WAIT } from "../../wait.ts";
import { startLine, startProgram, temporaryHome } from "../program.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

const CONNECT = `perl -MIO::Socket::UNIX -e 'for (@ARGV) { print IO::Socket::UNIX->new(Peer => $_) ? "yes " : "no " }'`;
const OWN = `perl -MIO::Socket::UNIX -e 'my @l = map { IO::Socket::UNIX->new(Local => $_, Listen => 1) } @ARGV; print IO::Socket::UNIX->new(Peer => $_) ? "yes " : "no " for @ARGV'`;

describe.skipIf(NO_SANDBOX !== undefined)(`in a sandbox${SKIPPED}`, () => {
	// Seen to fail: without the look afresh the second command waited for good, as it saw the first file.
	test("a socket that is named can be reached, as those of a command itself; a file that a person replaces is seen anew", async () => {
		const home = temporaryHome();
		const project = join(home, "project");
		for (const each of [project, join(home, "named")]) mkdirSync(each);
		symlinkSync(project, join(home, "link"));
		for (const name of [
			"wanted.sock",
			"named/in-it.sock",
			"other.sock",
			"link/by-link.sock",
			"project/two\nlines.sock",
		]) {
			const server = createServer((socket) => socket.destroy());
			onTestFinished(() => void server.close());
			await new Promise<void>((resolve) => server.listen(join(home, name), resolve));
		}
		writeFileSync(join(home, "file"), "one");
		const commands = [
			`(cat ~/file; ${CONNECT} ~/wanted.sock ~/named/in-it.sock ~/other.sock by-link.sock $'two\\nlines.sock'; ${OWN} /tmp/own.sock own.sock) > printed; touch seen; until [ -e replaced ]; do sleep 0.02; done`,
			`until [ -e replaced ]; do sleep 0.02; done; until [ "$(cat ~/file)" = two ]; do sleep 0.02; done`,
		];
		const turns = JSON.stringify([{ run: commands }, { say: "done" }]);
		writeFileSync(join(home, "script.yaml"), `agents: [{task: go, turns: ${turns}}]`);
		const allowed = ["wanted.sock", "named"].flatMap((name) => ["--allow-read", join(home, name)]);
		const args = ["run", "-q", ...allowed, "--model", `script:${home}/script.yaml`, "go"];
		const program = startProgram(args, { home, cwd: project });
		await vi.waitFor(() => expect(existsSync(join(project, "seen"))).toBe(true), WAIT);
		writeFileSync(join(home, "new"), "two");
		renameSync(join(home, "new"), join(home, "file"));
		writeFileSync(join(project, "replaced"), "");
		expect((await program.ended).code).toBe(0);
		expect(readFileSync(join(project, "printed"), "utf8")).toBe("oneyes yes no no no yes yes ");
	});

	// Seen to start no command: bwrap cannot mount anything at the end of a link. So it is at /var/run.
	test("a program that listens by a path with a link in it keeps no command from its start", async () => {
		const home = temporaryHome();
		const elsewhere = temporaryHome();
		const project = join(home, "project");
		for (const each of [project, join(elsewhere, "place")]) mkdirSync(each);
		symlinkSync(join(elsewhere, "place"), join(elsewhere, "link"));
		const server = createServer((socket) => socket.destroy());
		onTestFinished(() => void server.close());
		await new Promise<void>((resolve) => server.listen(join(elsewhere, "link/own.sock"), resolve));
		const args = ["run", "-q", "--allow-write", elsewhere, "--model", "shell"];
		const program = startProgram([...args, `${CONNECT} ${elsewhere}/place/own.sock`], { home, cwd: project });
		expect(String((await program.ended).stdout)).toBe("no ");
	});

	// Seen to fail: an empty directory was mounted in the place of the home, in which nothing could be mounted.
	test("without nsenter commands see the home as it is", async () => {
		const home = temporaryHome();
		const project = join(home, "project");
		for (const each of [project, join(home, ".npm")]) mkdirSync(each);
		writeFileSync(join(home, "file"), "as it is\n");
		writeFileSync(join(home, "none"), "");
		const hides =
			'for at in /usr/bin/nsenter /usr/sbin/nsenter; do [ ! -e $at ] || mount --bind ~/none $at; done; exec "$@"';
		const line = `exec unshare --user --map-root-user --mount sh -c '${hides}' sh "$@" run -q --model shell "$TASK"`;
		const task = "cat ~/file; touch ~/.npm/new 2>&1";
		const { code, stdout } = await startLine(line, { home, cwd: project, env: { TASK: task } }).ended;
		expect([code, stdout.toString()]).toEqual([
			0,
			expect.stringMatching(/^as it is\ntouch: .*Read-only file system\n$/),
		]);
	});
});
