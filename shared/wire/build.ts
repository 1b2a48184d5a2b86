import { z } from 'zod'

/** Fields with which the origin and the edge name the software that they run. */
export const buildFields = {
  version: z.string().meta({ description: 'Version of the software.' }),
  commit: z.string().meta({
    description:
      'Commit of the source code. It ends with `-dirty` if files were changed before the build. `unknown` if it was built outside of a checkout.',
  }),
}
