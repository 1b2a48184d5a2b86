import { describe, expect, it } from 'vitest'
import { GroupCommit } from '../../../shared/group-commit.ts'
import { createTrigger, edge, someOwner, sql } from '../app.ts'

/** A simulated disk with syncs that the test completes. It rejects batches with a bad item. */
function disk() {
  const batches: string[][] = []
  const syncs: { done(): void; fail(): void }[] = []
  let committed = 0
  const commits = new GroupCommit<string>({
    async write(batch) {
      batches.push([...batch])
      if (batch.includes('bad')) throw new Error('not stored')
      const failed = new Error('io')
      await new Promise<void>((done, fail) => syncs.push({ done, fail: () => fail(failed) }))
      return []
    },
    committed: () => void committed++,
  })
  const add = (arrival: string) =>
    commits.add(arrival).then(
      () => 'stored',
      (error: Error) => error.message,
    )
  const turn = () => new Promise((resolve) => setTimeout(resolve, 0))
  return { batches, syncs, add, turn, committed: () => committed }
}

describe('a group commit', () => {
  it('writes a single item immediately, and items that arrive during its sync together', async () => {
    const { add, batches, syncs, turn, committed } = disk()
    const first = add('a')
    expect(batches).toEqual([['a']])
    const rest = [add('b'), add('c')]
    expect(batches).toHaveLength(1)
    syncs[0]!.done()
    expect(await first).toBe('stored')
    expect(batches).toEqual([['a'], ['b', 'c']])
    let answered = false
    void rest[0]!.then(() => (answered = true))
    await turn()
    expect([answered, committed()]).toEqual([false, 1])
    syncs[1]!.done()
    expect(await Promise.all(rest)).toEqual(['stored', 'stored'])
  })

  it('rejects all waiters of a batch with a failing insert, and no others', async () => {
    const { add, syncs, turn } = disk()
    const first = add('a')
    const batch = [add('b'), add('bad')]
    syncs[0]!.done()
    expect(await first).toBe('stored')
    expect(await Promise.all(batch)).toEqual(['not stored', 'not stored'])
    const last = add('d')
    await turn()
    syncs[1]!.done()
    expect(await last).toBe('stored')
  })

  it('limits a batch to 4 MiB, but always writes at least one item', async () => {
    const batches: number[][] = []
    const commits = new GroupCommit<number>({
      write: async (batch) => {
        batches.push([...batch])
        return []
      },
      bytesOf: (mib) => mib * 1024 * 1024,
    })
    await Promise.all([1, 5, 2, 2, 1].map((mib) => commits.add(mib)))
    expect(batches).toEqual([[1], [5], [2, 2], [1]])
  })

  it('waits before a write if it has a delay, and writes the items that arrive in the meantime, too', async () => {
    const batches: string[][] = []
    const { promise: delay, resolve: endDelay } = Promise.withResolvers<void>()
    const delays = [undefined, delay]
    const commits = new GroupCommit<string>({
      write: async (batch) => {
        batches.push([...batch])
        return []
      },
      delay: () => delays.shift(),
    })
    await commits.add('a')
    const rest = [commits.add('b'), commits.add('c')]
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(batches).toEqual([['a']])
    endDelay()
    await Promise.all(rest)
    expect(batches).toEqual([['a'], ['b', 'c']])
  })

  it('rejects a batch with a failing sync, and continues with the next one', async () => {
    const { add, syncs, turn } = disk()
    const [first, second] = [add('a'), add('b')]
    syncs[0]!.fail()
    expect(await first).toBe('io')
    await turn()
    syncs[1]!.done()
    expect(await second).toBe('stored')
  })
})

it('returns 500 if the storage fails, and keeps the count of queued runs correct', async () => {
  const owner = await someOwner()
  const { id } = await createTrigger(owner, { max_queued_runs: 3, max_runs_per_minute: 1 })
  const post = () => edge(`/webhook/${id}`, { method: 'POST', body: '{}' })
  await sql(id, 'ALTER TABLE runs RENAME TO away')
  const failed = await Promise.all([post(), post(), post(), post()])
  expect(failed.map(({ status }) => status).filter((status) => status === 202)).toEqual([])
  await sql(id, 'ALTER TABLE away RENAME TO runs')
  const answers = []
  for (let i = 0; i < 5; i++) answers.push((await post()).status)
  expect(answers).toEqual([202, 202, 202, 202, 429])
})
