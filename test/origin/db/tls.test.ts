import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  connectionOptions,
  databaseUrlFault,
  parseAuthorities,
} from '../../../origin/db/connection.ts'
import { listenFor } from '../../../origin/db/notifications.ts'
import { openDatabase } from '../../../origin/db/open.ts'
import { type Authority, makeAuthority } from '../../doubles/certificates.ts'
import { emptyDatabase } from './fresh-database.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'

let authority: Authority
let other: Authority
let server: PostgresServer
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-tls-'))
  authority = await makeAuthority()
  other = await makeAuthority()
  server = await startPostgres(await authority.issue({ names: ['localhost'] }))
})
afterAll(async () => {
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** URL of the server as a host that its certificate names, or as one that it does not name. */
function url(query: string, host = 'localhost'): string {
  const address = new URL(server.tcpUrl)
  address.hostname = host
  return `${address.href}?${query}`
}

/** Opens the database, and returns the TLS version of each of its connections. */
async function tlsVersions(databaseUrl: string, authorities?: readonly string[]) {
  const { db, reports, close } = await openDatabase({ url: databaseUrl, authorities })
  try {
    const versions = [db, reports].map(async (opened) => {
      const { rows } = (await opened.execute(
        'select version from pg_stat_ssl where pid = pg_backend_pid()',
      )) as { rows: { version: string | null }[] }
      return rows[0]!.version
    })
    return await Promise.all(versions)
  } finally {
    await close()
  }
}

const pem = (text: string) => parseAuthorities(text)!
const oneLine = (input: string) =>
  execFileSync('bash', ['-c', "grep -v CERTIFICATE | tr -d '\\n'"], { input, encoding: 'utf8' })

describe('sslmode=verify-full with a private authority', () => {
  it('accepts a certificate of the authority in SVC_DATABASE_CA', async () => {
    const authorities = pem(authority.pem)
    expect(await tlsVersions(url('sslmode=verify-full'), authorities)).toEqual([
      'TLSv1.3',
      'TLSv1.3',
    ])
  })

  it('accepts a certificate of the authority in the file of sslrootcert', async () => {
    const file = join(folder, 'ca.pem')
    writeFileSync(file, authority.pem)
    const versions = await tlsVersions(url(`sslmode=verify-full&sslrootcert=${file}`))
    expect(versions).toEqual(['TLSv1.3', 'TLSv1.3'])
  })

  it('also protects the connection that listens for notifications', async () => {
    const connection = { url: url('sslmode=verify-full'), authorities: pem(authority.pem) }
    const heard = Promise.withResolvers<void>()
    const listener = listenFor(connection, 'tls_test', heard.resolve)
    await heard.promise
    const client = new Client({ connectionString: server.url })
    await client.connect()
    const { rows } = await client.query(
      "select ssl from pg_stat_ssl join pg_stat_activity using (pid) where query = 'listen tls_test'",
    )
    await Promise.all([client.end(), listener.close()])
    expect(rows).toEqual([{ ssl: true }])
  })

  it('rejects the certificate of another authority', async () => {
    const connecting = tlsVersions(url('sslmode=verify-full'), pem(other.pem))
    await expect(connecting).rejects.toThrow(
      /certificate is not from a trusted authority \(.+\): set SVC_DATABASE_CA/,
    )
  })

  it('rejects a private authority that is not configured', async () => {
    const connecting = tlsVersions(url('sslmode=verify-full'))
    await expect(connecting).rejects.toThrow('certificate is not from a trusted authority')
  })

  it('impersonation: rejects a certificate of the authority for another host', async () => {
    const connecting = tlsVersions(url('sslmode=verify-full', '127.0.0.1'), pem(authority.pem))
    await expect(connecting).rejects.toThrow('the database’s certificate is for another host')
  })

  it('downgrade: rejects a server without TLS', async () => {
    const plain = await startPostgres()
    const connecting = tlsVersions(`${plain.tcpUrl}?sslmode=verify-full`, pem(authority.pem))
    await expect(connecting).rejects.toThrow('the database does not support TLS')
    await plain.close()
  })

  it('names a file that cannot be read, but not its path', async () => {
    const connecting = tlsVersions(url(`sslmode=verify-full&sslrootcert=${folder}/none.pem`))
    await expect(connecting).rejects.toThrow('the file of sslrootcert cannot be read (ENOENT)')
  })
})

describe('other modes', () => {
  it.each(['prefer', 'require', 'verify-ca'])('sslmode=%s means verify-full', async (mode) => {
    expect(await tlsVersions(url(`sslmode=${mode}`), pem(authority.pem))).toEqual([
      'TLSv1.3',
      'TLSv1.3',
    ])
    const wrongHost = tlsVersions(url(`sslmode=${mode}`, '127.0.0.1'), pem(authority.pem))
    await expect(wrongHost).rejects.toThrow('for another host')
    await expect(tlsVersions(url(`sslmode=${mode}`))).rejects.toThrow(
      'not from a trusted authority',
    )
  })

  it('sslmode=no-verify encrypts, and accepts any certificate', async () => {
    expect(await tlsVersions(url('sslmode=no-verify', '127.0.0.1'))).toEqual(['TLSv1.3', 'TLSv1.3'])
  })

  it.each(['sslmode=disable', ''])('%j does not use TLS', async (query) => {
    expect(await tlsVersions(url(query))).toEqual([null, null])
  })

  it('ignores the mode in the environment of the process', async () => {
    const fresh = await emptyDatabase()
    process.env['PGSSLMODE'] = 'require'
    try {
      await (await openDatabase({ url: fresh.url })).close()
    } finally {
      delete process.env['PGSSLMODE']
      await fresh.drop()
    }
  })

  it('presents the client certificate of sslcert and sslkey', async () => {
    const { cert, key } = await authority.issue({ names: ['client.test'] })
    writeFileSync(join(folder, 'client.pem'), cert)
    writeFileSync(join(folder, 'client.key'), key)
    const files = `sslcert=${folder}/client.pem&sslkey=${folder}/client.key`
    expect(connectionOptions({ url: url(`sslmode=verify-full&${files}`) }).ssl).toEqual({
      cert,
      key,
    })
  })
})

describe('the URL of the database', () => {
  it.each([
    ['sslmode=on', 'sslmode must be disable, no-verify, prefer'],
    ['sslmode=verify-full&ssl=0', 'must not have the parameter ssl'],
    ['sslmode=verify-full&uselibpqcompat=true', 'must not have the parameter uselibpqcompat'],
    ['sslmode=verify-full&sslmode=disable', 'has the parameter sslmode twice'],
    ['sslrootcert=/ca.pem', 'sslrootcert requires sslmode=verify-full'],
    ['sslmode=no-verify&sslrootcert=/ca.pem', 'sslrootcert requires sslmode=verify-full'],
  ])('downgrade: is rejected with %s', (query, fault) => {
    expect(databaseUrlFault(`postgres://u:canary@db.test/svc?${query}`)).toContain(fault)
    expect(databaseUrlFault(`postgres://u:canary@db.test/svc?${query}`)).not.toContain('canary')
  })

  it('keeps its other parameters', () => {
    const text = 'postgres://u:p%40%2F@db.test:6432/svc?sslmode=verify-full&application_name=a%20b'
    const { connectionString } = connectionOptions({ url: text })
    const client = new Client({ connectionString })
    expect(client).toMatchObject({ host: 'db.test', port: 6432, user: 'u', password: 'p@/' })
    expect(new URL(connectionString!).searchParams.get('application_name')).toBe('a b')
  })
})

describe('SVC_DATABASE_CA', () => {
  it('is PEM, or the same in one line, as docs/deploy.md makes it', () => {
    const both = [authority.pem, other.pem]
    const expected = both.map((text) => text.trim())
    const trimmed = (found: string[] | undefined) => found?.map((text) => text.trim())
    expect(trimmed(parseAuthorities(both.join('\n')))).toEqual(expected)
    expect(trimmed(parseAuthorities(both.map(oneLine).join(',')))).toEqual(expected)
  })

  it.each(['', ' ', 'x', 'c3lzdGVt', '-----BEGIN CERTIFICATE-----', '/tls/ca.pem'])(
    'is rejected as %j',
    (text) => {
      expect(parseAuthorities(text)).toBeUndefined()
    },
  )
})
