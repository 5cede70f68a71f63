import type { ServiceName } from './cast.ts'

/** Something that happens at one of the two services. */
export interface Happening {
  readonly service: ServiceName
  readonly type: string
  /** A short description; at most 37 characters, so that it fits beside the type in 80 columns. */
  readonly says: string
  /** Who caused it (content), or which entity it is about (ads). */
  readonly who: string
  /** Members of the data that differ from the catalog's example. */
  readonly changes: Readonly<Record<string, unknown>>
}

type Changes = Happening['changes']

/**
 * The data is the catalog's example, so it always matches the schemas. The examples all belong to one blog and one autumn
 * campaign.
 */
function content(type: string, says: string, who: string, changes: Changes = {}): Happening {
  return { service: 'content', type, says, who, changes }
}

function ads(type: string, says: string, who: string = CAMPAIGN, changes: Changes = {}): Happening {
  return { service: 'ads', type, says, who, changes }
}

// People and entities of the examples.
const MARA = 'usr_01k94fsmr4p7w2h9ct0ezvb3xj'
const JONAS = 'usr_01k94fqc71gd8k5y3snb6a2rqe'
export const CAMPAIGN = '01a0385c-c91e-7b42-9d0a-3e6f8c2b7a11'
const LINE_ITEM = '01a03862-41d7-7c90-8a55-0b4d9e71f326'
const PROPOSAL = '01a01eaf-4c6d-7310-8c9f-61d20e5a7b34'
const DEAL = '01a03860-1b2f-7d4a-9c11-7e20a4d85f63'
const CREATIVE = '01a0386a-2f30-7b1c-a5d4-c093e8b1f742'
const SYNC = '01a0c3d2-6e19-7f85-8b07-15ac92e4d630'
const REPORT = '01a0c21e-e6fa-7d15-9b02-e8417a5cf690'
const CONVERSION = '01a0bf52-9d47-7a36-8e90-4f6b03d7c218'

/** A day at the blog of a bicycle workshop and at the advertising desk of a maker of rain clothing. */
export const STORY: readonly Happening[] = [
  content('plan.ready', 'The spring plan is worked out', JONAS),
  content('plan.saved', 'Jonas saves the spring plan', JONAS),
  ads('proposal.created.v1', 'A proposal goes to the customer', PROPOSAL),
  ads('proposal.signed.v1', 'The customer signs it', PROPOSAL),
  ads('deal.created.v1', 'The deal is set up', DEAL),
  content('generation.ready_for_review', 'A draft on chain care is finished', MARA),
  content('generation.review_requested', 'Mara asks Jonas to read it', MARA),
  content('comment.created', 'Jonas leaves a comment', JONAS),
  content('version.changes_requested', 'Jonas wants changes', JONAS),
  ads('campaign.created.v1', '“Autumn rain jackets” is set up'),
  ads('line_item.created.v1', 'It gets a line item: connected TV', LINE_ITEM),
  ads('creative.created.v1', 'And a film of 15 seconds', CREATIVE),
  content('generation.ready_for_review', 'The revised draft is finished', MARA, {
    version_id: 'ver_01kghr6fchain2',
    version_number: 2,
  }),
  content('version.approved', 'Jonas approves the revision', JONAS),
  content('publication.published', '“Chain care” is live on the blog', JONAS),
  ads('campaign.status_changed.v1', 'The campaign starts'),
  ads('sync.failed.v1', 'The shop refuses the stored login', SYNC),
  content('generation.needs_input', 'The wheel guide has a question', MARA),
  content('suggestions.ready', 'Fewer clicks: three suggestions', JONAS),
  ads('conversion_event.created.v1', 'A customer buys a jacket', CONVERSION),
  ads('budget.threshold.v1', '80 % of the budget is spent'),
  ads('spend.anomaly.v1', 'Spending jumps for two hours'),
  content('autopilot.needs_review', 'A guide waits for a person', JONAS),
  content('schedule.cancel_required', 'A scheduled post has to be stopped', MARA),
  content('publication.published', 'A corrected version goes live', JONAS, {
    version_id: 'ver_01kgv0d2chain3',
  }),
  ads('report.ready.v1', "The week's report can be downloaded", REPORT),
  ads('campaign.status_changed.v1', 'The campaign pauses for the night', CAMPAIGN, {
    from: 'active',
    to: 'paused',
  }),
]
