/** Changes that the admin wallet of a ChainSecured account sends to the contract itself. */
import { asc, eq } from 'drizzle-orm'
import { Contract, JsonRpcProvider, Wallet } from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WalletWrites } from '../../../origin/audit-log/wallet-writes.ts'
import { auditCheckpoints, auditEntries } from '../../../origin/db/schema.ts'
import { accountConfigAbi } from '../../../shared/abi/account-config.ts'
import { conversionTo, convert } from '../http/chain-secured.ts'
import { startOrigin, type TestOrigin } from '../http/origin.ts'

let origin: TestOrigin
let provider: JsonRpcProvider
let readers: WalletWrites[] = []
beforeAll(async () => {
  origin = await startOrigin()
  provider = new JsonRpcProvider(origin.rpcUrl, undefined, { cacheTimeout: -1 })
})
afterEach(async () => {
  await Promise.all(readers.map((reader) => reader.close()))
  readers = []
})
afterAll(async () => {
  provider.destroy()
  await origin.close()
})

/** Each reader stands for a process. */
const openReader = () => {
  const { chain, keyring, mirror, log } = origin.services
  const payerKey = (number: number) => keyring.payerKey(number)
  const { db } = origin.database
  const reader = new WalletWrites({ db, chain, mirror, payerKey, finality: 2, log, pollMs: 50 })
  readers.push(reader)
  return reader
}
const startReader = () => openReader().start()
const mine = (blocks: number) => provider.send('anvil_mine', [`0x${blocks.toString(16)}`])

/** Converts an account, and returns its hash and a function that calls the contract as its admin. */
async function securedAccount() {
  const key = await origin.account()
  await origin.group(key, { name: 'of the service' })
  const admin = new Wallet(Wallet.createRandom().privateKey, provider)
  await provider.send('anvil_setBalance', [admin.address, '0xde0b6b3a7640000'])
  expect((await convert(origin, key, conversionTo(admin))).status).toBe(200)
  const contract = new Contract(
    origin.services.chain.contractAddress,
    accountConfigAbi as never,
    admin,
  )
  const send = async (name: string, ...args: unknown[]) => {
    const sent = await contract.getFunction(name)(...args)
    await sent.wait()
  }
  return { key, hash: origin.hashOf(key), admin, send }
}

const logged = async (hash: string) => {
  const rows = await origin.database.db
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.accountHash, hash))
    .orderBy(asc(auditEntries.sequence))
  return rows.map(({ entry, details }) => ({ ...entry, details }))
}
const operations = async (hash: string) => (await logged(hash)).map(({ operation }) => operation)
const OF_THE_SERVICE = ['new_account', 'add_group', 'convert_to_chain_secured_account']

describe('a transaction of an admin wallet', () => {
  it('is logged once by two processes, with the wallet as the actor', async () => {
    startReader()
    startReader()
    const { hash, admin, send } = await securedAccount()
    await send('addGroup', hash, 'by wallet', '', [], [])
    await mine(3)
    await expect
      .poll(() => operations(hash), { timeout: 20_000 })
      .toEqual([...OF_THE_SERVICE, 'group_set'])
    expect((await logged(hash)).at(-1)).toMatchObject({
      outcome: 'done',
      actor: { kind: 'wallet', id: admin.address },
      subject: { group_id: 2 },
      details: { events: [{ event: 'group_set', name: 'by wallet' }] },
    })
    await mine(5)
    await send('removeGroup', hash, 2)
    await mine(3)
    await expect
      .poll(() => operations(hash), { timeout: 20_000 })
      .toEqual([...OF_THE_SERVICE, 'group_set', 'group_removed'])
  })

  it('is logged after a crash between the entry and the checkpoint, because both commit together', async () => {
    const first = openReader()
    await first.advance()
    const { hash, send } = await securedAccount()
    await send('addGroup', hash, 'g', '', [], [])
    await mine(3)
    const { db } = origin.database
    const before = await db.select().from(auditCheckpoints)
    await db.execute(
      'alter table audit_entries add constraint crash check (sequence < 0) not valid',
    )
    await origin.services.mirror.syncTo(await provider.getBlockNumber())
    await expect(first.advance()).rejects.toThrow()
    expect(await db.select().from(auditCheckpoints)).toEqual(before)
    await db.execute('alter table audit_entries drop constraint crash')
    await openReader().advance()
    await first.advance()
    expect(await operations(hash)).toEqual([...OF_THE_SERVICE, 'group_set'])
  })

  it('does not repeat the writes of the service from before the conversion', async () => {
    const reader = openReader()
    await reader.advance()
    const { hash } = await securedAccount()
    await mine(3)
    await origin.services.mirror.syncTo(await provider.getBlockNumber())
    await reader.advance()
    expect(await operations(hash)).toEqual(OF_THE_SERVICE)
  })
})
