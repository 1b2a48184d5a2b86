import type { Origin } from './connect-key.ts'

/** Reads the attributes that the Worker's `coreApi` renders. */
export function readOrigin({ baseUrl, verify, simulatedRoot }: DOMStringMap): Origin {
  return {
    baseUrl: baseUrl!,
    verify: verify as Origin['verify'],
    // The pages of a staging deployment name its simulated root, which the client would refuse otherwise.
    ...(simulatedRoot !== undefined && {
      policy: { root: { kind: 'simulated', spkiSha256: simulatedRoot } },
    }),
  }
}
