import { expect, it } from 'vitest'
import { Lifecycle } from '../../../origin/lifecycle.ts'

const ignore = () => {}

it('closes in reverse order of opening, and only once', async () => {
  const lifecycle = new Lifecycle()
  const closed: string[] = []
  for (const name of ['database', 'chain', 'server'])
    lifecycle.onClose(name, () => void closed.push(name))
  await Promise.all([lifecycle.close(ignore), lifecycle.close(ignore)])
  await lifecycle.close(ignore)
  expect(closed).toEqual(['server', 'chain', 'database'])
})

it('reports a failure to close, and closes the others', async () => {
  const lifecycle = new Lifecycle()
  const closed: string[] = []
  lifecycle.onClose('database', () => void closed.push('database'))
  lifecycle.onClose('chain', () => Promise.reject(new Error('gone')))
  const reported: string[] = []
  await lifecycle.close((name, error) => reported.push(`${name}: ${String(error)}`))
  expect([closed, reported]).toEqual([['database'], ['chain: Error: gone']])
})

it('closes what a start opens during the close, and nothing twice', async () => {
  const lifecycle = new Lifecycle()
  const closed: string[] = []
  const late = Promise.withResolvers<void>()
  lifecycle.onClose('first', () => void closed.push('first'))
  lifecycle.onClose('second', async () => {
    await late.promise
    closed.push('second')
  })
  const closing = lifecycle.close(ignore)
  lifecycle.onClose('late', () => void closed.push('late'))
  late.resolve()
  await closing
  expect(closed).toEqual(['second', 'late', 'first'])
})
