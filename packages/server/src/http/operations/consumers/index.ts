import type { Operation } from '../operation.ts'
import { acknowledge } from './acknowledge.ts'
import { createConsumer } from './createConsumer.ts'
import { deleteConsumer } from './deleteConsumer.ts'
import { getConsumer } from './getConsumer.ts'
import { listConsumers } from './listConsumers.ts'
import { readConsumer } from './readConsumer.ts'
import { seekConsumer } from './seekConsumer.ts'
import { streamConsumer } from './streamConsumer.ts'

/** What services can do with consumers, in the order of documents. */
export const consumerOperations: readonly Operation[] = [
  createConsumer,
  listConsumers,
  getConsumer,
  readConsumer,
  acknowledge,
  streamConsumer,
  seekConsumer,
  deleteConsumer,
]
