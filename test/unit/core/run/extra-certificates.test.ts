import { expect, test } from "vitest";
import { certificatesFrom, withCertificatesAside } from "../../../../src/core/run/cookie.ts";

test("the variable that makes node read certificates at its start goes by another name, and back", () => {
	const aside = withCertificatesAside({ PATH: "/bin", NODE_EXTRA_CA_CERTS: "/ca.pem" });
	expect(aside).toEqual({ PATH: "/bin", AGENTREE_NODE_EXTRA_CA_CERTS: "/ca.pem" });
	expect(certificatesFrom(aside)).toEqual({ NODE_EXTRA_CA_CERTS: "/ca.pem" });
});

test("without the variable, or with an empty one, there is nothing to put aside or to give back", () => {
	expect(withCertificatesAside({ PATH: "/bin", NODE_EXTRA_CA_CERTS: "" })).toEqual({ PATH: "/bin" });
	expect(withCertificatesAside({ PATH: "/bin" })).toEqual({ PATH: "/bin" });
	expect(certificatesFrom({ AGENTREE_NODE_EXTRA_CA_CERTS: "" })).toEqual({});
});
