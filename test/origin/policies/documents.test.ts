import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { walletPolicies } from '../../../origin/db/schema.ts'
import { PolicyDocuments } from '../../../origin/policies/documents.ts'
import { parsePolicy } from '../../../shared/policies/policy.ts'
import { openFresh } from '../db/fresh-database.ts'
import { onSharedDatabase } from '../db/shared-database.ts'

/** A policy that allows one message. */
const policyOf = (equals: string) =>
  parsePolicy(
    JSON.stringify({
      version: 1,
      rules: [{ name: 'one', effect: 'allow', kind: 'message', messages: [{ equals }] }],
    }),
  )

onSharedDatabase(2, (open) => {
  const documentsOf = (index: number, cacheMaxCharacters?: number) =>
    new PolicyDocuments({ db: open(index).db, now: Date.now }, cacheMaxCharacters)

  it('returns a policy that another process stored', async () => {
    const policy = policyOf('hello')
    await documentsOf(0).store(policy)
    await documentsOf(1).store(policy)
    const loaded = await documentsOf(1).load(policy.hash)
    expect([loaded.hash, loaded.document]).toEqual([policy.hash, policy.document])
  })

  it('refuses a hash without a document', async () => {
    const { hash } = policyOf('never stored')
    await expect(documentsOf(0).load(hash)).rejects.toThrow(
      `the document of the policy ${hash} is not stored`,
    )
  })

  it.each([
    ['the document of another policy', policyOf('anything').canonical],
    ['text that is no policy', '{"version":1}'],
    [
      'a document with other whitespace and members',
      `{"evil":true,${policyOf('a').canonical.slice(1)}`,
    ],
  ])('swapped document: refuses %s, until it is stored again', async (what, document) => {
    const policy = policyOf(what)
    const { hash } = policy
    await documentsOf(0).store(policy)
    await open(0).db.update(walletPolicies).set({ document }).where(eq(walletPolicies.hash, hash))
    const documents = documentsOf(1)
    await expect(documents.load(hash)).rejects.toThrow(
      `the stored document is not that of the policy ${hash}`,
    )
    await documentsOf(0).store(policy)
    expect((await documents.load(hash)).hash).toBe(hash)
  })

  it('keeps the most recently used policies in memory, up to a total length', async () => {
    const policies = ['one', 'two', 'six'].map(policyOf)
    const length = policies[0]!.canonical.length
    const documents = documentsOf(0, 2 * length)
    for (const policy of policies) await documents.store(policy)
    const [first, second, third] = policies.map(({ hash }) => hash)
    const load = async (hash = '') => documents.load(hash)
    const loaded = await load(first)
    await load(second)
    expect(await load(first)).toBe(loaded)
    await load(third)
    expect(documents.cached(second!)).toBeUndefined()
    expect(documents.cached(first!)).toBe(loaded)
  })

  it('does not keep a policy that is longer than the whole cache', async () => {
    const policy = policyOf('long')
    const documents = documentsOf(0, policy.canonical.length - 1)
    await documents.store(policy)
    expect((await documents.load(policy.hash)).hash).toBe(policy.hash)
    expect(documents.cached(policy.hash)).toBeUndefined()
  })

  it('parses a document once for simultaneous requests', async () => {
    const policy = policyOf('at once')
    const documents = documentsOf(0)
    await documents.store(policy)
    const loads = await Promise.all([documents.load(policy.hash), documents.load(policy.hash)])
    expect(loads[0]).toBe(loads[1])
  })
})

it('reports that the database does not respond', async () => {
  const database = await openFresh()
  const documents = new PolicyDocuments({ db: database.db, now: Date.now })
  await database.close()
  const policy = policyOf('hello')
  await expect(documents.store(policy)).rejects.toThrow('the database does not respond')
  await expect(documents.load(policy.hash)).rejects.toThrow('the database does not respond')
})
