import { defineAction } from '@svc-run/cli/action'
import { customAlphabet, nanoid } from 'nanoid'

export default defineAction(() => ({
  ids: [nanoid(), nanoid()],
  code: customAlphabet('0123456789', 6)(),
}))
