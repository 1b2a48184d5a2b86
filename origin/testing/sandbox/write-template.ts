/** Writes the template for the package to the file that the argument names. */
import './environment.ts'
import { writeFileSync } from 'node:fs'
import { compileEngine } from '../../actions/engine/engine-module.ts'
import { Sandbox } from '../../actions/engine/sandbox.ts'
import { selfTest } from '../../actions/engine/self-test.ts'
import { encodeTemplate } from '../../actions/engine/template-file.ts'
import { loadTemplate } from './template.ts'

const template = await loadTemplate()
selfTest(await Sandbox.create(compileEngine(template.engine), template))
writeFileSync(process.argv[2]!, encodeTemplate(template))
