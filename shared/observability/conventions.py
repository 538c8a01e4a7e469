"""The names that spans and their attributes have for the rest of the world, all in one place.

They are those of the OpenTelemetry semantic conventions, of which the messaging group is still
in development and the group of generative models has moved to a repository of its own. Whoever
follows a newer version changes this file, and the tests tell what that means for a dashboard.
"""

from typing import Final

VERSION: Final = "1.44.0"

ERROR_TYPE: Final = "error.type"
SERVER_ADDRESS: Final = "server.address"
SERVICE_NAME: Final = "service.name"
SERVICE_NAMESPACE: Final = "service.namespace"

HTTP_METHOD: Final = "http.request.method"
HTTP_ROUTE: Final = "http.route"
HTTP_STATUS: Final = "http.response.status_code"

MESSAGING_SYSTEM: Final = "messaging.system"
RABBITMQ: Final = "rabbitmq"
OPERATION_NAME: Final = "messaging.operation.name"
OPERATION_TYPE: Final = "messaging.operation.type"
DESTINATION: Final = "messaging.destination.name"
ROUTING_KEY: Final = "messaging.rabbitmq.destination.routing_key"
DELIVERY_TAG: Final = "messaging.rabbitmq.message.delivery_tag"
# Ours is the identity of the job: that of AMQP is another for every publish.
MESSAGE_ID: Final = "messaging.message.id"
# What the conversation is about, hence the document.
CONVERSATION_ID: Final = "messaging.message.conversation_id"
BODY_SIZE: Final = "messaging.message.body.size"

GEN_AI_OPERATION: Final = "gen_ai.operation.name"
GENERATE_CONTENT: Final = "generate_content"
GEN_AI_PROVIDER: Final = "gen_ai.provider.name"
GEMINI: Final = "gcp.gemini"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
OUTPUT_TYPE: Final = "gen_ai.output.type"

# What is told of every message that is taken, and of every one that is sent.
PROCESSING: Final = {
    MESSAGING_SYSTEM: RABBITMQ,
    OPERATION_NAME: "process",
    OPERATION_TYPE: "process",
}
PUBLISHING: Final = {
    MESSAGING_SYSTEM: RABBITMQ,
    OPERATION_NAME: "publish",
    OPERATION_TYPE: "send",
}
