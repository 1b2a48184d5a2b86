import { createClient, EvidenceRefused, PolicyIncomplete } from '../../../shared/client/index.ts'
import type { Case, World } from './case.ts'
import { failsAs, isSame, isTrue } from './claims.ts'

/** Records the path of each request, and counts the requests that carry a key. */
function counting() {
  const seen = { paths: [] as string[], keys: 0 }
  const noting: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    seen.paths.push(new URL(request.url).pathname)
    if (request.headers.has('x-api-key')) seen.keys++
    return fetch(input, init)
  }
  return { seen, fetch: noting }
}

const policyOf = ({ composeHash, rootSpkiSha256 }: World) => ({
  root: { kind: 'simulated', spkiSha256: rootSpkiSha256 } as const,
  composeHashes: [composeHash],
  measurements: 'open' as const,
})

const KEY = `${'A'.repeat(43)}=`

export const verificationCases: Case[] = [
  {
    name: 'the report of a local stack says SIMULATED',
    async run(client, { composeHash }) {
      const report = await client.verify()
      isSame(report.verdict, 'SIMULATED', 'the verdict')
      isSame(report.composeHash, composeHash, 'the compose hash')
    },
  },
  {
    name: 'with required verification an action goes sealed, and its receipt verifies',
    async run(client, world) {
      const { api_key: apiKey } = await client.newAccount({ account_name: 'suite' })
      const { baseUrl } = world
      const { seen, fetch } = counting()
      const strict = createClient({
        baseUrl,
        apiKey,
        fetch,
        verify: 'required',
        policy: policyOf(world),
      })
      const { receipt } = await strict.svcAction({ code: 'function main() { return 1 }' })
      isTrue(seen.paths.includes('/sealed/execute'), `it went sealed: ${seen.paths.join()}`)
      isSame(seen.keys, 0, 'requests with a key outside of the envelope')
      const { compose_hash } = await strict.verifyReceipt(receipt)
      isSame(compose_hash, world.composeHash, 'the application in the receipt')
    },
  },
  {
    name: 'another application: a policy with another compose hash lets no key leave',
    async run(_client, world) {
      const { baseUrl } = world
      const policy = { ...policyOf(world), composeHashes: ['11'.repeat(32)] }
      const { seen, fetch } = counting()
      const strict = createClient({ baseUrl, apiKey: KEY, fetch, verify: 'required', policy })
      const calls = [
        () => strict.listWallets().all(),
        () => strict.svcAction({ code: 'function main() {}' }),
      ]
      for (const call of calls) {
        const failure = await failsAs(EvidenceRefused, call())
        isSame(failure.rule, 'compose hash', 'the rule')
      }
      isSame(seen.keys, 0, 'requests with a key')
      const isEvidence = (path: string) =>
        /^\/(attestation(\/bundle)?|info|evidences\/.*)$/.test(path)
      isTrue(
        seen.paths.every(isEvidence),
        `nothing but evidence was asked for: ${seen.paths.join()}`,
      )
    },
  },
  {
    name: 'required verification without a policy is refused before anything is sent',
    async run(_client, { baseUrl }) {
      const made = Promise.resolve().then(() => createClient({ baseUrl, verify: 'required' }))
      isSame((await failsAs(PolicyIncomplete, made)).option, 'policy.composeHashes', 'the option')
    },
  },
  {
    name: 'without verification no evidence is asked for',
    async run(_client, { baseUrl }) {
      const { seen, fetch } = counting()
      const plain = createClient({ baseUrl, fetch, verify: 'never' })
      await plain.newAccount({ account_name: 'suite' })
      await plain.createWallet()
      isSame(seen.paths, ['/core/v1/new_account', '/core/v1/create_wallet'], 'what was asked')
    },
  },
]
