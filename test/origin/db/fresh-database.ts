/** Creates a separate database for a test on the server of the test run (`docs/decisions/0055-what-tests-share.md`). */
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { type OpenDatabase, openDatabase } from '../../../origin/db/open.ts'
import { databaseAt, TEMPLATE, TEST_SERVER } from './server-setup.ts'

export type FreshDatabase = {
  url: string
  /** Also works while clients are connected. */
  drop: () => Promise<void>
}

/** Creates a database with the tables of production and no rows. */
export const freshDatabase = () => copyOf(TEMPLATE)

/** Creates an empty database, as an operator provides it for a new deployment. */
export const emptyDatabase = () => copyOf('template1')

async function copyOf(template: string): Promise<FreshDatabase> {
  const name = `t_${randomBytes(8).toString('hex')}`
  await command(`create database ${name} template ${template} strategy file_copy`)
  return {
    url: databaseAt(server(), name),
    drop: () => command(`drop database ${name} with (force)`),
  }
}

/** Creates such a database and opens it like a process of the origin. `close` drops it. */
export async function openFresh(create = freshDatabase): Promise<OpenDatabase & { url: string }> {
  const { url, drop } = await create()
  const database = await openDatabase({ url })
  return {
    ...database,
    url,
    close: async () => {
      await database.close()
      await drop()
    },
  }
}

async function command(text: string): Promise<void> {
  const client = new Client({ connectionString: server() })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

function server(): string {
  const url = process.env[TEST_SERVER]
  if (url === undefined)
    throw new Error(
      'no server: put test/origin/db/server-setup.ts into the globalSetup of this project',
    )
  return url
}
