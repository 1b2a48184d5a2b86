import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadTls, type TlsFiles } from '../../../origin/tls.ts'

let folder: string
let files: TlsFiles
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-tls-'))
  files = await loadTls(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('keys and certificates are readable only by their owner', () => {
  for (const name of ['ca.key', 'ca.pem', 'server.key', 'server.pem'])
    expect(statSync(join(folder, 'tls', name)).mode & 0o777).toBe(0o600)
})

it('keys and certificates are kept at the next start', async () => {
  expect(await loadTls(folder)).toEqual(files)
})

it('a lost server certificate is reissued by the same authority', async () => {
  const authority = readFileSync(files.caFile, 'utf8')
  rmSync(join(folder, 'tls', 'server.pem'))
  const renewed = await loadTls(folder)
  expect(renewed.cert).not.toBe(files.cert)
  expect(readFileSync(files.caFile, 'utf8')).toBe(authority)
  files = renewed
})

it('only a client that trusts the authority can connect to localhost over TLS 1.3', async () => {
  const server = createServer({ key: files.key, cert: files.cert, minVersion: 'TLSv1.3' })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ca = readFileSync(files.caFile)
  const reach = async (options: object) => {
    const socket = connect({ port, host: '127.0.0.1', ...options })
    try {
      await once(socket, 'secureConnect')
      return socket.getProtocol()
    } catch (error) {
      return (error as NodeJS.ErrnoException).code
    } finally {
      socket.destroy()
    }
  }
  expect(await reach({ ca, servername: 'localhost' })).toBe('TLSv1.3')
  expect(await reach({ ca })).toBe('TLSv1.3')
  expect(await reach({ servername: 'localhost' })).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  expect(await reach({ ca, servername: 'origin.example' })).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  expect(await reach({ ca, servername: 'localhost', maxVersion: 'TLSv1.2' })).toMatch(/PROTOCOL/)
  server.close()
})
