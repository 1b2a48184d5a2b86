import { eq } from 'drizzle-orm'
import { type Policy, parsePolicy } from '../../shared/policies/policy.ts'
import { PolicyError } from '../../shared/policies/policy-error.ts'
import { fromDatabase } from '../db/database-unavailable.ts'
import type { Database } from '../db/open.ts'
import { walletPolicies } from '../db/schema.ts'
import { LruCache } from '../lru-cache.ts'

/**
 * Maximum total length of the canonical JSON of the cached policies. A parsed policy takes up to 17 bytes per
 * character, so the cache takes at most 36 MB. Parsing the largest policy takes up to 60 ms.
 */
const CACHE_MAX_CHARACTERS = 2 * 1024 * 1024

/** Thrown if the document of a policy is missing or altered. Nothing can then be signed under the policy. */
export class PolicyDocumentError extends Error {
  override readonly name = 'PolicyDocumentError'
}

/**
 * Stores the documents of wallet policies by their hashes. The database is not trusted: each document is hashed when it
 * is loaded, and compared with the hash in the contract.
 */
export class PolicyDocuments {
  readonly #db: Database
  readonly #now: () => number
  readonly #parsed: LruCache<Policy>
  readonly #loading = new Map<string, Promise<Policy>>()

  constructor(
    { db, now }: { db: Database; now: () => number },
    cacheMaxCharacters = CACHE_MAX_CHARACTERS,
  ) {
    this.#db = db
    this.#now = now
    this.#parsed = new LruCache(cacheMaxCharacters, ({ canonical }) => canonical.length)
  }

  /**
   * Stores a document permanently. Must be called before the contract records its hash.
   * @throws {DatabaseUnavailableError}
   */
  async store({ hash, canonical }: Policy): Promise<void> {
    const row = { hash, document: canonical, createdAt: new Date(this.#now()) }
    // Overwrites an altered document.
    const repair = { target: walletPolicies.hash, set: { document: canonical } }
    await fromDatabase(this.#db.insert(walletPolicies).values(row).onConflictDoUpdate(repair))
  }

  /**
   * Returns the policy if it is cached.
   * @param hash in lower-case 0x hex
   */
  cached(hash: string): Policy | undefined {
    return this.#parsed.get(hash)
  }

  /** @throws {PolicyDocumentError | DatabaseUnavailableError} */
  async load(hash: string): Promise<Policy> {
    const known = this.cached(hash)
    if (known) return known
    const loading =
      this.#loading.get(hash) ?? this.#read(hash).finally(() => this.#loading.delete(hash))
    this.#loading.set(hash, loading)
    return loading
  }

  async #read(hash: string): Promise<Policy> {
    const named = eq(walletPolicies.hash, hash)
    const [row] = await fromDatabase(this.#db.select().from(walletPolicies).where(named))
    if (!row) throw new PolicyDocumentError(`the document of the policy ${hash} is not stored`)
    return this.#parsed.getOrCreate(hash, () => parseAs(hash, row.document))
  }
}

function parseAs(hash: string, document: string): Policy {
  try {
    const policy = parsePolicy(document)
    if (policy.hash === hash) return policy
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
  }
  throw new PolicyDocumentError(`the stored document is not that of the policy ${hash}`)
}
