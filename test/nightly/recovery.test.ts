/** The disasters of docs/backup.md, with the commands of that page, which also lists these figures. */
import { describe, it } from 'vitest'
import { boundsOr } from './bounds.ts'
import type { Figures } from './figures.ts'
import { loseD1, loseObject, restoreD1 } from './recovery/edge-storage.ts'
import { loseMachines } from './recovery/machines.ts'
import { restorePostgres } from './recovery/postgres.ts'
import { loseRegion } from './recovery/region.ts'

const DISASTERS: [name: string, recover: () => Promise<Figures>][] = [
  ['Postgres, whose data folder is lost', () => restorePostgres('its data folder is lost')],
  ['Postgres, of which a table is dropped', () => restorePostgres('a table is dropped')],
  ['a region with its machines', loseRegion],
  ['D1, without a copy', loseD1],
  ['D1, restored to an earlier time', restoreD1],
  ['the storage of one object', loseObject],
  ['all machines, with the root key from the KMS', loseMachines],
]

const { first, count } = boundsOr({ first: 1, count: DISASTERS.length })

describe('recovers from the loss of', () => {
  it.for(DISASTERS.slice(first - 1, first - 1 + count))('%s', async ([name, recover], { task }) => {
    task.meta.figures = await recover()
    console.info(name, task.meta.figures)
  })
})
