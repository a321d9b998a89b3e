import { expect, test } from "vitest";
import { desktopSockets, pathsIn, placesSeenThrough, socketsToHide } from "../../../src/sandbox/socket-places.ts";

const TABLE = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 20301 /home/a/with space.sock
0000000000000000: 00000003 00000000 00000000 0001 03 20302 /home/a/with space.sock
0000000000000000: 00000003 00000000 00000000 0001 03 20303
0000000000000000: 00000002 00000000 00010000 0001 01 20304 @/tmp/.X11-unix/X0
0000000000000000: 00000002 00000000 00010000 0001 01 20305 @/org/kernel/linux/storage/multipathd
0000000000000000: 00000002 00000000 00010000 0001 01 20306 relative.sock
0000000000000000: 00000002 00000000 00010000 0001 01 20307 /home/a/two
lines.sock
0000000000000000: 00000002 00000000 00010000 0001 01 20308 /home/a/last.sock
`;

test("sockets that somebody listens on, each once", () => {
	expect(pathsIn(TABLE)).toEqual([
		"/home/a/with space.sock",
		"@/tmp/.X11-unix/X0",
		"@/org/kernel/linux/storage/multipathd",
		"/home/a/two\nlines.sock",
		"/home/a/last.sock",
	]);
});

test("of sockets without a path those of a desktop are told, where commands have the machine's network", () => {
	expect(desktopSockets("host", TABLE)).toEqual([
		expect.stringContaining(
			"commands can reach the windows of this desktop (@/tmp/.X11-unix/X0) and type into them; --net proxy or --net none prevents that",
		),
	]);
	expect([desktopSockets("none", TABLE), desktopSockets("proxy", TABLE), desktopSockets("host", "")]).toEqual([
		[],
		[],
		[],
	]);
});

test("a socket is hidden unless a person named it or what it lies in, or none is reached there", () => {
	const mounts = [
		{ path: "/home/a/p", as: "write" },
		{ path: "/home/a/p/db", as: "read", isShown: true },
		{ path: "/home/a/wanted", as: "read", isShown: true },
	] as const;
	const sockets = ["/home/a/s", "/home/a/p/s", "/home/a/p/db/s", "/home/a/wanted", "/usr/lib/s"];
	expect(socketsToHide(sockets, mounts, ["/home"])).toEqual(["/home/a/p/s", "/usr/lib/s"]);
	expect(socketsToHide(sockets, mounts, [])).toEqual(["/home/a/s", "/home/a/p/s", "/usr/lib/s"]);
});

test("homes are seen through; where something is mounted below one, the directories in it, unless they are many", () => {
	const inHomes: Record<string, string[]> = {
		"/home/a": ["/home/a/my cloud", "/home/a/work"],
		"/home/many": Array.from({ length: 80 }, (_, at) => `/home/many/${at}`),
	};
	const disk = {
		mountPoints: ["/", "/proc", "/home/a/my cloud", "/home/many/0/docker"],
		directoriesIn: (path: string) => inHomes[path] ?? [],
	};
	const homes = ["/home/a", "/home/a/inner", "/home/many", "/tmp/home", "/"];
	expect(placesSeenThrough(homes, disk)).toEqual(["/home/a/my cloud", "/home/a/work", "/tmp/home"]);
});

test("of very many sockets the first are hidden, and none where commands have another directory", () => {
	const many = Array.from({ length: 1_000 }, (_, at) => `/srv/${at}.sock`);
	const unseen = ["/tmp/s", "/var/tmp/s", "/run/user/0/s", "/dev/shm/s"];
	expect(socketsToHide([...unseen, "/tmp/p/s", ...many], [{ path: "/tmp/p", as: "write" }], [])).toEqual([
		"/tmp/p/s",
		...many.slice(0, 199),
	]);
});
