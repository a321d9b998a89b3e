import { expect, test } from "vitest";
import { formatBytes } from "../../../src/core/bytes.ts";

test.each([
	[0, "0 bytes"],
	[1, "1 byte"],
	[1023, "1023 bytes"],
	[1024, "1 KiB"],
	[1590, "1.5 KiB"],
	[999_999, "976 KiB"],
	[1024 ** 2 - 1, "1023 KiB"],
	[16 * 1024 ** 2, "16 MiB"],
	[2 * 1024 ** 3, "2 GiB"],
	[1024 ** 6, "1024 PiB"],
])("%d bytes read %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
