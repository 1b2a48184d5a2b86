import { describe, expect, it } from 'vitest'
import { edge } from '../app.ts'
import { Person } from './person.ts'

describe('the home page', () => {
  it('explains the service and how to start, under 30 KB and without a script', async () => {
    const text = await (await edge('/')).text()
    expect(text).toContain('href="/console#start"')
    expect(text).toContain('href="/sign-in?next=%2Ftriggers"')
    expect(text).not.toContain('<script')
    expect(text.length).toBeLessThan(30 * 1024)
  })

  it('redirects signed-in users to their triggers', async () => {
    const { status, response } = await (await Person.signedIn()).get('/')
    expect([status, response.headers.get('location')]).toEqual([303, '/triggers'])
  })
})
