/**
 * A new embedded database without the seconds that making one takes: `initdb` is run once, and its folder kept for as long as
 * PGlite, this way of making it and the migrations are the same (`docs/decisions/0055-what-tests-share.md`).
 */
import { PGlite } from '@electric-sql/pglite'
import { createHash, randomUUID } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  openAsBlob,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/pglite'
import { migrate } from 'drizzle-orm/pglite/migrator'
import { type OpenDatabase, openEmbedded } from '../../../origin/db/open.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const migrationsFolder = join(root, 'drizzle', 'origin')

/** Where what can be made again is kept: an installation begins without it. */
const KEPT_IN = join(root, 'node_modules', '.cache', 'svc-tests')

/** In memory, with the tables of production and no rows. */
export async function openFresh(): Promise<OpenDatabase> {
  return openEmbedded(undefined, await openAsBlob(await migratedFolder()))
}

/** The same, as PGlite's own client: for who is a database server to others. */
export async function openFreshClient(): Promise<PGlite> {
  return PGlite.create({ loadDataDir: await openAsBlob(await migratedFolder()) })
}

/** Puts one on disk, where the origin of a stack in this state folder will look for its own. */
export async function layFresh(stateDir: string): Promise<void> {
  const dataDir = join(stateDir, 'origin', 'pglite')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const archive = await migratedFolder()
  // Its names begin with a slash, which tar takes off, and says so.
  execFileSync('tar', ['-xf', archive, '-C', dataDir], { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** The tar of a migrated database's folder: kept, or made now. Of two that make it at once, one keeps it. */
async function migratedFolder(): Promise<string> {
  const file = join(KEPT_IN, `pglite-${fingerprint()}.tar`)
  if (existsSync(file)) return file
  const client = await PGlite.create()
  try {
    await migrate(drizzle(client), { migrationsFolder })
    // So that whoever begins from it has nothing to recover.
    await client.exec('CHECKPOINT')
    const dumped = await client.dumpDataDir('none')
    mkdirSync(KEPT_IN, { recursive: true })
    const unfinished = `${file}.${randomUUID()}`
    writeFileSync(unfinished, Buffer.from(await dumped.arrayBuffer()))
    keepFirst(unfinished, file)
  } finally {
    await client.close()
  }
  return file
}

/** The first one stays: a blob of a file that another has taken the place of can not be read any more. */
function keepFirst(unfinished: string, file: string): void {
  try {
    linkSync(unfinished, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(unfinished)
  }
}

/** Of all that decides what is in it. */
function fingerprint(): string {
  const hash = createHash('sha256')
  const files = [
    join(root, 'node_modules', '@electric-sql', 'pglite', 'package.json'),
    fileURLToPath(import.meta.url),
    ...readdirSync(migrationsFolder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(sql|json)$/.test(name))
      .toSorted()
      .map((name) => join(migrationsFolder, name)),
  ]
  for (const file of files) hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}
